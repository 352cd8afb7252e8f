-- How far the time of each container in each state is from that of containers like it, in 100 slices of the trace.
--
-- Containers like it have its type, its depth in the tree, and states of the same type; siblings also have its parent.
-- Counts the innermost state. A container that is not in the state counts with zero. The standard deviation is that of
-- all of them, not of a sample; one below a billionth of the slice is rounding and counts as none. Rows are those of
-- state_slices with fill: each slice, container, and state that the container is ever in. Cost: one row each, sorted
-- twice; for fewer slices, start from state_slices. Where one container alone is in a state, however briefly, its z_score
-- is the largest possible: look at seconds - mean_seconds too, as stragglers does.
--
-- Columns:
--   slice                 BIGINT   Slice index, from 0.
--   slice_start           DOUBLE   Start of the slice, in seconds.
--   slice_end             DOUBLE   End of the slice, in seconds.
--   container_id          INTEGER  The container.
--   container             TEXT     Name of it.
--   container_type        TEXT     Type of it.
--   depth                 INTEGER  Its distance from the root.
--   parent_id             INTEGER  The container above it; NULL for a root.
--   parent                TEXT     Name of that container.
--   type                  TEXT     Type of the state.
--   value                 TEXT     Name of the state.
--   seconds               DOUBLE   Its time in the state, within the slice.
--   containers            BIGINT   How many containers are like it, itself included.
--   mean_seconds          DOUBLE   Their mean time in the state, within the slice.
--   z_score               DOUBLE   How many standard deviations it is above that mean; negative when below. NULL when all are equal.
--   siblings              BIGINT   How many of them have its parent, itself included.
--   sibling_mean_seconds  DOUBLE   The mean of these.
--   sibling_z_score       DOUBLE   How many standard deviations of these it is above their mean. NULL when all are equal.
--
-- Example:
--   SELECT container, value, seconds, mean_seconds, z_score
--   FROM state_deviations
--   WHERE slice = 39
--   ORDER BY abs(z_score) DESC, value
--   LIMIT 2
WITH holders AS (
    SELECT DISTINCT
        container_id,
        type
    FROM state_segments
),
peers AS (
    SELECT
        containers.container_id,
        containers.type AS container_type,
        containers.depth,
        containers.parent_id,
        parents.name AS parent,
        holders.type,
        count(*) OVER (PARTITION BY holders.type, containers.type, containers.depth) AS containers,
        count(*) OVER (PARTITION BY holders.type, containers.type, containers.depth, containers.parent_id) AS siblings
    FROM holders
    JOIN containers
        ON containers.container_id = holders.container_id
    LEFT JOIN containers AS parents
        ON parents.container_id = containers.parent_id
),
means AS (
    SELECT
        cells.slice,
        cells.slice_start,
        cells.slice_end,
        cells.container_id,
        cells.container,
        peers.container_type,
        peers.depth,
        peers.parent_id,
        peers.parent,
        cells.type,
        cells.value,
        cells.seconds,
        peers.containers,
        peers.siblings,
        count(*) OVER likes AS present,
        sum(cells.seconds) OVER likes / peers.containers AS mean_seconds,
        count(*) OVER family AS siblings_present,
        sum(cells.seconds) OVER family / peers.siblings AS sibling_mean_seconds
    FROM state_slices(state_segments, slices => 100, fill => true) AS cells
    JOIN peers
        ON peers.container_id = cells.container_id
        AND peers.type = cells.type
    WINDOW
        likes AS (PARTITION BY cells.slice, cells.type, cells.value, peers.container_type, peers.depth),
        family AS (PARTITION BY cells.slice, cells.type, cells.value, peers.container_type, peers.depth, peers.parent_id)
),
-- The containers that are never in the state have no row: they are as far from the mean as the mean is from zero.
spreads AS (
    SELECT
        slice,
        slice_start,
        slice_end,
        container_id,
        container,
        container_type,
        depth,
        parent_id,
        parent,
        type,
        value,
        seconds,
        containers,
        siblings,
        mean_seconds,
        sibling_mean_seconds,
        sqrt(
            (sum(power(seconds - mean_seconds, 2)) OVER likes + (containers - present) * power(mean_seconds, 2))
                / containers
        ) AS deviation,
        sqrt(
            (
                sum(power(seconds - sibling_mean_seconds, 2)) OVER family
                + (siblings - siblings_present) * power(sibling_mean_seconds, 2)
            ) / siblings
        ) AS sibling_deviation
    FROM means
    WINDOW
        likes AS (PARTITION BY slice, type, value, container_type, depth),
        family AS (PARTITION BY slice, type, value, container_type, depth, parent_id)
)
SELECT
    slice,
    slice_start,
    slice_end,
    container_id,
    container,
    container_type,
    depth,
    parent_id,
    parent,
    type,
    value,
    seconds,
    containers,
    mean_seconds,
    CASE
        WHEN deviation > 1e-9 * (slice_end - slice_start) THEN (seconds - mean_seconds) / deviation
    END AS z_score,
    siblings,
    sibling_mean_seconds,
    CASE
        WHEN sibling_deviation > 1e-9 * (slice_end - slice_start)
            THEN (seconds - sibling_mean_seconds) / sibling_deviation
    END AS sibling_z_score
FROM spreads
