-- How unevenly each state is spread over the containers, at every depth of the container tree.
--
-- Time is exclusive (state_segments) and adds up the container tree. At a depth, every container counts that has
-- states of the type itself or below it; one that is never in the state counts with zero. The standard deviation
-- is that of all of them, not of a sample. Choose a depth with WHERE depth = …: containers of several depths
-- must not be mixed.
--
-- Columns:
--   type                TEXT     Type of the states.
--   value               TEXT     Name of the state.
--   depth               INTEGER  Depth of the containers that are compared.
--   containers          BIGINT   How many they are.
--   mean_seconds        DOUBLE   Mean of their times in the state.
--   max_seconds         DOUBLE   The longest of them.
--   standard_deviation  DOUBLE   How far they spread around the mean (of all of them, not of a sample).
--   imbalance           DOUBLE   Max / mean - 1: 0 is even; NULL when no container spent time in it.
--   worst_id            INTEGER  The container with the longest; the first of several.
--   worst               TEXT     Name of it.
--
-- Example:
--   SELECT value, depth, mean_seconds, max_seconds, imbalance, worst
--   FROM load_imbalance
--   WHERE value = 'MPI_Recv'
--   ORDER BY depth
WITH totals AS (
    SELECT
        container_id,
        type,
        value,
        sum(end_tick - start_tick) AS ticks
    FROM state_segments
    GROUP BY container_id, type, value
),
lifted AS (
    SELECT
        ancestors.ancestor_id AS container_id,
        ancestors.ancestor AS container,
        ancestors.ancestor_depth AS depth,
        totals.type,
        totals.value,
        sum(CAST(totals.ticks AS DECIMAL(20, 0))) AS ticks
    FROM totals
    JOIN container_ancestors AS ancestors
        ON ancestors.container_id = totals.container_id
    GROUP BY ancestors.ancestor_id, ancestors.ancestor, ancestors.ancestor_depth, totals.type, totals.value
),
-- Every container of the depth counts once, whatever the number of states that it was in.
numbered AS (
    SELECT
        container_id,
        container,
        depth,
        type,
        value,
        ticks,
        row_number() OVER (PARTITION BY type, container_id ORDER BY value) AS place
    FROM lifted
),
populated AS (
    SELECT
        container_id,
        container,
        depth,
        type,
        value,
        CAST(ticks AS DOUBLE) AS ticks,
        sum(CASE WHEN place = 1 THEN 1 ELSE 0 END) OVER (PARTITION BY type, depth) AS containers,
        CAST(sum(ticks) OVER (PARTITION BY type, depth, value) AS DOUBLE) AS total_ticks
    FROM numbered
),
-- The containers that are never in the state are as far from the mean as the mean is from zero.
spreads AS (
    SELECT
        type,
        value,
        depth,
        max(containers) AS containers,
        max(total_ticks / containers) AS mean_ticks,
        max(ticks) AS max_ticks,
        sum(power(ticks - total_ticks / containers, 2))
            + (max(containers) - count(*)) * power(max(total_ticks / containers), 2) AS squared_ticks,
        first_value(container_id ORDER BY ticks DESC, container_id) AS worst_id,
        first_value(container ORDER BY ticks DESC, container_id) AS worst
    FROM populated
    GROUP BY type, value, depth
)
SELECT
    type,
    value,
    depth,
    containers,
    mean_ticks / (SELECT ticks_per_second FROM trace_info) AS mean_seconds,
    max_ticks / (SELECT ticks_per_second FROM trace_info) AS max_seconds,
    sqrt(squared_ticks / containers) / (SELECT ticks_per_second FROM trace_info) AS standard_deviation,
    max_ticks / nullif(mean_ticks, 0) - 1 AS imbalance,
    worst_id,
    worst
FROM spreads
