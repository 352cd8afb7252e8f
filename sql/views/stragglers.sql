-- Which containers deviate from their siblings, and when: in 100 slices of the trace.
--
-- Counts the innermost state. With n siblings nobody can be more than sqrt(n - 1) standard deviations away, so
-- that groups of less than five have no rows. The standard deviation is that of all siblings, not of a sample.
-- Siblings that are equal to each other have no rows. Cost: one row for each slice, container and value; for
-- fewer slices, start from state_slices.
--
-- Columns:
--   slice         BIGINT   Number of the slice, from 0 on.
--   slice_start   DOUBLE   When the slice begins, in seconds.
--   slice_end     DOUBLE   When it ends, in seconds.
--   container_id  INTEGER  The container that deviates.
--   container     TEXT     Name of it.
--   type          TEXT     Type of the state.
--   value         TEXT     The state in which it spends more or less time than its siblings.
--   seconds       DOUBLE   Its time in the state, within the slice.
--   mean_seconds  DOUBLE   The mean of all siblings, itself included.
--   z_score       DOUBLE   How many standard deviations above the mean; negative when below.
--   siblings      BIGINT   How many siblings there are, itself included.
--
-- Example:
--   SELECT slice_start, container, value, seconds, mean_seconds, z_score
--   FROM stragglers
--   ORDER BY value

-- Siblings have the same parent, the same type of container, and states of the same type. A container
-- that is not in the state counts with zero. Rows are those at least two standard deviations away:
--
--   rank-0  ####.     rank-5 deviates in the last slice:
--   rank-1  ####.     one of eight, it is sqrt(7) = 2.6 standard deviations above the mean
--   rank-5  #####
WITH cells AS (
    SELECT
        slice,
        slice_start,
        slice_end,
        container_id,
        container,
        type,
        value,
        seconds
    FROM state_slices(state_segments, slices => 100, fill => true)
),
families AS (
    SELECT
        coalesce(containers.parent_id, -1) AS parent_id,
        containers.type AS container_type,
        carried.type,
        count(*) AS siblings
    FROM (SELECT DISTINCT container_id, type FROM state_segments) AS carried
    JOIN containers
        ON containers.container_id = carried.container_id
    GROUP BY coalesce(containers.parent_id, -1), containers.type, carried.type
),
related AS (
    SELECT
        cells.slice,
        cells.slice_start,
        cells.slice_end,
        cells.container_id,
        cells.container,
        cells.type,
        cells.value,
        cells.seconds,
        families.parent_id,
        families.container_type,
        families.siblings
    FROM cells
    JOIN containers
        ON containers.container_id = cells.container_id
    JOIN families
        ON families.parent_id = coalesce(containers.parent_id, -1)
        AND families.container_type = containers.type
        AND families.type = cells.type
),
means AS (
    SELECT
        parent_id,
        container_type,
        type,
        value,
        slice,
        max(siblings) AS siblings,
        count(*) AS present,
        sum(seconds) / max(siblings) AS mean_seconds
    FROM related
    GROUP BY parent_id, container_type, type, value, slice
),
deviations AS (
    SELECT
        related.slice,
        related.slice_start,
        related.slice_end,
        related.container_id,
        related.container,
        related.type,
        related.value,
        related.seconds,
        means.mean_seconds,
        related.siblings,
        sqrt(
            (
                sum(power(related.seconds - means.mean_seconds, 2)) OVER (
                    PARTITION BY related.parent_id, related.container_type, related.type, related.value, related.slice
                )
                + (means.siblings - means.present) * power(means.mean_seconds, 2)
            ) / means.siblings
        ) AS standard_deviation
    FROM related
    JOIN means
        ON means.parent_id = related.parent_id
        AND means.container_type = related.container_type
        AND means.type = related.type
        AND means.value = related.value
        AND means.slice = related.slice
)
SELECT
    slice,
    slice_start,
    slice_end,
    container_id,
    container,
    type,
    value,
    seconds,
    mean_seconds,
    (seconds - mean_seconds) / standard_deviation AS z_score,
    siblings
FROM deviations
WHERE standard_deviation > 0
    AND abs(seconds - mean_seconds) >= 2 * standard_deviation
