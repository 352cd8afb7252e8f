WITH areas AS (
    -- An area without container holds several trees.
    SELECT
        areas.area,
        areas.container_id,
        containers.path AS container,
        areas.first_slice,
        areas.last_slice,
        areas.start_time,
        areas.end_time,
        areas.right_start_time,
        areas.right_end_time,
        coalesce(containers.preorder, -1) AS first_place,
        coalesce(containers.last_descendant, 2147483647) AS last_place,
        coalesce(containers.depth, -1) AS depth
    FROM given.plans.areas AS areas
    LEFT JOIN containers
        ON containers.container_id = areas.container_id
),
cells AS (
    SELECT
        cells.slice,
        cells.container_id AS own_id,
        containers.preorder AS place,
        cells.type,
        cells.value,
        cells.left_seconds,
        cells.right_seconds
    FROM given.plans.cells AS cells
    JOIN containers
        ON containers.container_id = cells.container_id
    WHERE cells.difference IS NOT NULL
),
-- Of two areas of one name, one of them for the container's own states, a cell lies in the lower one.
placed AS (
    SELECT
        areas.area,
        areas.container_id,
        areas.container,
        areas.first_slice,
        areas.last_slice,
        areas.start_time,
        areas.end_time,
        areas.right_start_time,
        areas.right_end_time,
        cells.type,
        cells.value,
        cells.left_seconds,
        cells.right_seconds,
        row_number() OVER (
            PARTITION BY cells.slice, cells.own_id, cells.type, cells.value
            ORDER BY areas.depth DESC
        ) AS choice
    FROM cells
    JOIN areas
        ON cells.slice BETWEEN areas.first_slice AND areas.last_slice
        AND cells.place BETWEEN areas.first_place AND areas.last_place
),
parts AS (
    SELECT
        'area' AS part,
        container_id,
        container,
        first_slice,
        last_slice,
        start_time,
        end_time,
        right_start_time,
        right_end_time,
        type,
        value,
        sum(left_seconds) AS left_part,
        sum(right_seconds) AS right_part
    FROM placed
    WHERE choice = 1
    GROUP BY
        area,
        container_id,
        container,
        first_slice,
        last_slice,
        start_time,
        end_time,
        right_start_time,
        right_end_time,
        type,
        value
    UNION ALL
    SELECT
        column1 AS part,
        CAST(NULL AS INTEGER) AS container_id,
        CAST(NULL AS TEXT) AS container,
        CAST(NULL AS BIGINT) AS first_slice,
        CAST(NULL AS BIGINT) AS last_slice,
        CASE WHEN column1 = 'run' THEN $left_start END AS start_time,
        CASE WHEN column1 = 'run' THEN $left_end END AS end_time,
        CASE WHEN column1 = 'run' THEN $right_start END AS right_start_time,
        CASE WHEN column1 = 'run' THEN $right_end END AS right_end_time,
        CAST(NULL AS TEXT) AS type,
        CAST(NULL AS TEXT) AS value,
        CASE WHEN column1 = 'run' THEN $left_end - $left_start END AS left_part,
        CASE WHEN column1 = 'run' THEN $right_end - $right_start END AS right_part
    FROM (VALUES ('run'), ('left'), ('right'))
),
counted AS (
    SELECT
        parts.*,
        counts.matched,
        CASE WHEN parts.part = 'left' THEN counts.left_alone ELSE counts.right_alone END AS alone,
        CASE WHEN parts.part = 'run' THEN counts.matched ELSE 1 END * parts.left_part AS left_seconds,
        CASE WHEN parts.part = 'run' THEN counts.matched ELSE 1 END * parts.right_part AS right_seconds,
        counts.matched * ($left_end - $left_start) AS resource_seconds
    FROM parts
    CROSS JOIN given.plans.counts AS counts
),
changes AS (
    SELECT
        *,
        right_seconds - left_seconds AS seconds,
        -- The run comes first, what has no partner last.
        CASE part
            WHEN 'run' THEN 1e300
            WHEN 'area' THEN abs(round(right_seconds - left_seconds, 9))
            ELSE -1.0
        END AS size
    FROM counted
),
findings AS (
    SELECT
        *,
        CASE
            WHEN part = 'run' THEN 'run'
            WHEN part <> 'area' THEN 'unmatched'
            WHEN seconds > 0 THEN 'slower'
            ELSE 'faster'
        END AS kind,
        CASE
            WHEN part = 'run' THEN concat(
                'the run takes ', round(right_part, 6), ' s instead of ', round(left_part, 6), ' s'
            )
            WHEN part <> 'area' THEN concat(
                alone,
                CASE WHEN alone = 1 THEN ' container of ' ELSE ' containers of ' END,
                CASE WHEN part = 'left' THEN $left ELSE $right END,
                ' without partner'
            )
            ELSE concat(
                value, ' takes ', round(abs(seconds), 6), ' s ', CASE WHEN seconds > 0 THEN 'more' ELSE 'less' END,
                ' in ', coalesce(container, 'all containers'), ' between ', round(start_time, 6), ' and ',
                round(end_time, 6), ' s: ', round(right_seconds, 6), ' s instead of ', round(left_seconds, 6), ' s'
            )
        END AS title,
        CASE
            WHEN part = 'run' THEN $run_evidence
            WHEN part = 'left' THEN concat($evidence, ' WHERE right_seconds IS NULL')
            WHEN part = 'right' THEN concat($evidence, ' WHERE left_seconds IS NULL')
            ELSE concat(
                $evidence, ' WHERE slice BETWEEN ', first_slice, ' AND ', last_slice,
                ' AND type = ''', replace(type, '''', ''''''), ''' AND value = ''', replace(value, '''', ''''''), '''',
                CASE WHEN container_id IS NULL THEN ''
                     ELSE concat(' AND container_id IN (SELECT container_id FROM ', $subtree, '(', container_id, '))') END,
                ' ORDER BY path, slice'
            )
        END AS evidence
    FROM changes
    WHERE CASE part
        WHEN 'run' THEN seconds <> 0
        WHEN 'area' THEN abs(seconds) > 1e-9 * (right_seconds + left_seconds) AND abs(seconds) >= $least * resource_seconds
        ELSE alone > 0
    END
)
SELECT
    CAST(row_number() OVER (ORDER BY size DESC, seconds DESC, container, start_time, type, value) AS BIGINT) AS rank,
    kind,
    title,
    seconds,
    seconds / nullif(resource_seconds, 0) AS share,
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
