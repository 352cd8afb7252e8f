WITH spread AS (
    SELECT area, container_id, unnest(range(first_slice, last_slice + 1)) AS slice
    FROM given.plans.areas
),
-- A container and all above it; an area without container holds several trees.
covered AS (
    SELECT spread.area, spread.slice, ancestors.container_id, ancestors.ancestor_depth AS depth
    FROM spread
    JOIN container_ancestors AS ancestors
        ON ancestors.ancestor_id = spread.container_id
    UNION ALL
    SELECT spread.area, spread.slice, containers.container_id, -1 AS depth
    FROM spread
    CROSS JOIN containers
    WHERE spread.container_id IS NULL
),
-- Of two areas of one name, one of them for the container's own states, the lower one.
deepest AS (
    SELECT slice, container_id, max(depth) AS depth
    FROM covered
    GROUP BY slice, container_id
),
places AS (
    SELECT covered.area, covered.slice, covered.container_id
    FROM covered
    JOIN deepest
        ON deepest.slice = covered.slice
        AND deepest.container_id = covered.container_id
        AND deepest.depth = covered.depth
),
sums AS (
    SELECT
        places.area,
        cells.type,
        cells.value,
        sum(cells.left_seconds) AS left_seconds,
        sum(cells.right_seconds) AS right_seconds
    FROM given.plans.cells AS cells
    JOIN places
        ON places.slice = cells.slice
        AND places.container_id = cells.container_id
    WHERE cells.difference IS NOT NULL
    GROUP BY places.area, cells.type, cells.value
),
whole AS (
    SELECT
        matched,
        ($right_end - $right_start) - ($left_end - $left_start) AS longer,
        matched * ($left_end - $left_start) AS resource_seconds
    FROM given.plans.counts
),
alone AS (
    SELECT
        left_seconds IS NULL AS is_right,
        count(DISTINCT path) AS containers,
        sum(coalesce(left_seconds, right_seconds)) AS seconds
    FROM given.plans.cells
    WHERE difference IS NULL
    GROUP BY left_seconds IS NULL
),
findings AS (
    SELECT
        -- The run comes first, what has no partner last.
        1e300 AS size,
        'run' AS kind,
        concat(
            'the run takes ', round($right_end - $right_start, 6), ' s instead of ', round($left_end - $left_start, 6), ' s'
        ) AS title,
        longer * matched AS seconds,
        longer / nullif($left_end - $left_start, 0) AS share,
        matched * ($left_end - $left_start) AS left_seconds,
        matched * ($right_end - $right_start) AS right_seconds,
        CAST(NULL AS INTEGER) AS container_id,
        CAST(NULL AS TEXT) AS container,
        CAST($left_start AS DOUBLE) AS start_time,
        CAST($left_end AS DOUBLE) AS end_time,
        CAST($right_start AS DOUBLE) AS right_start_time,
        CAST($right_end AS DOUBLE) AS right_end_time,
        CAST(NULL AS TEXT) AS type,
        CAST(NULL AS TEXT) AS value,
        $run_evidence AS evidence
    FROM whole
    WHERE longer <> 0
    UNION ALL
    SELECT
        abs(round(sums.right_seconds - sums.left_seconds, 9)),
        CASE WHEN sums.right_seconds > sums.left_seconds THEN 'slower' ELSE 'faster' END,
        concat(
            sums.value, ' takes ', round(abs(sums.right_seconds - sums.left_seconds), 6), ' s ',
            CASE WHEN sums.right_seconds > sums.left_seconds THEN 'more' ELSE 'less' END,
            ' in ', coalesce(containers.path, 'all containers'), ' between ', round(areas.start_time, 6), ' and ',
            round(areas.end_time, 6), ' s: ', round(sums.right_seconds, 6), ' s instead of ', round(sums.left_seconds, 6), ' s'
        ),
        sums.right_seconds - sums.left_seconds,
        (sums.right_seconds - sums.left_seconds) / nullif(whole.resource_seconds, 0),
        sums.left_seconds,
        sums.right_seconds,
        areas.container_id,
        containers.path,
        areas.start_time,
        areas.end_time,
        areas.right_start_time,
        areas.right_end_time,
        sums.type,
        sums.value,
        concat(
            $evidence, ' WHERE slice BETWEEN ', areas.first_slice, ' AND ', areas.last_slice,
            ' AND type = ''', replace(sums.type, '''', ''''''), ''' AND value = ''', replace(sums.value, '''', ''''''), '''',
            CASE WHEN areas.container_id IS NULL THEN ''
                 ELSE concat(' AND container_id IN (SELECT container_id FROM ', $subtree, '(', areas.container_id, '))') END,
            ' ORDER BY path, slice'
        )
    FROM sums
    JOIN given.plans.areas AS areas
        ON areas.area = sums.area
    LEFT JOIN containers
        ON containers.container_id = areas.container_id
    CROSS JOIN whole
    WHERE abs(sums.right_seconds - sums.left_seconds) > 1e-9 * (sums.right_seconds + sums.left_seconds)
        AND abs(sums.right_seconds - sums.left_seconds) >= $least * whole.resource_seconds
    UNION ALL
    SELECT
        -1.0,
        'unmatched',
        concat(
            containers, CASE WHEN containers = 1 THEN ' container of ' ELSE ' containers of ' END,
            CASE WHEN is_right THEN $right ELSE $left END, ' without partner, ', round(seconds, 6), ' s in states'
        ),
        CASE WHEN is_right THEN seconds ELSE -seconds END,
        CAST(NULL AS DOUBLE),
        CASE WHEN NOT is_right THEN seconds END,
        CASE WHEN is_right THEN seconds END,
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        concat($evidence, ' WHERE ', CASE WHEN is_right THEN 'left_seconds' ELSE 'right_seconds' END, ' IS NULL')
    FROM alone
)
SELECT
    CAST(row_number() OVER (ORDER BY size DESC, seconds DESC, container, start_time, type, value) AS BIGINT) AS rank,
    kind,
    title,
    seconds,
    share,
    left_seconds,
    right_seconds,
    container_id,
    container,
    start_time,
    end_time,
    right_start_time,
    right_end_time,
    type,
    value,
    evidence,
    $picture AS picture
FROM findings
