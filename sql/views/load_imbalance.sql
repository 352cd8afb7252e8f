-- How unevenly each state is spread over the containers, at every depth of the container tree.
--
-- Time is that of the innermost state, added up the tree. At a depth, all containers count that have
-- states of the type, or have them below: one that is never in the state counts with zero.
--
-- type                type of the states
-- value               name of the state
-- depth               depth of the containers that are compared
-- containers          how many they are
-- mean_seconds        mean of their times in the state
-- max_seconds         the longest of them
-- standard_deviation  how far they spread around the mean (of all of them, not of a sample)
-- imbalance           max / mean - 1: 0 is even; NULL when nobody spent time
-- worst_id            the container with the longest; the first of several
-- worst               name of it
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
        ancestors.container_id,
        ancestors.name AS container,
        ancestors.depth,
        totals.type,
        totals.value,
        sum(CAST(totals.ticks AS DECIMAL(20, 0))) AS ticks
    FROM totals
    JOIN container_ancestors
        ON container_ancestors.container_id = totals.container_id
    JOIN containers AS ancestors
        ON ancestors.container_id = container_ancestors.ancestor_id
    GROUP BY ancestors.container_id, ancestors.name, ancestors.depth, totals.type, totals.value
),
populations AS (
    SELECT
        type,
        depth,
        count(DISTINCT container_id) AS containers
    FROM lifted
    GROUP BY type, depth
),
means AS (
    SELECT
        lifted.type,
        lifted.value,
        lifted.depth,
        max(populations.containers) AS containers,
        count(*) AS in_state,
        CAST(sum(lifted.ticks) AS DOUBLE) / max(populations.containers) AS mean_ticks,
        CAST(max(lifted.ticks) AS DOUBLE) AS max_ticks,
        first_value(lifted.container_id ORDER BY lifted.ticks DESC, lifted.container_id) AS worst_id,
        first_value(lifted.container ORDER BY lifted.ticks DESC, lifted.container_id) AS worst
    FROM lifted
    JOIN populations
        ON populations.type = lifted.type
        AND populations.depth = lifted.depth
    GROUP BY lifted.type, lifted.value, lifted.depth
),
-- The containers that are never in the state are as far from the mean as the mean is from zero.
squares AS (
    SELECT
        lifted.type,
        lifted.value,
        lifted.depth,
        sum(power(CAST(lifted.ticks AS DOUBLE) - means.mean_ticks, 2)) AS of_those_in_state
    FROM lifted
    JOIN means
        ON means.type = lifted.type
        AND means.value = lifted.value
        AND means.depth = lifted.depth
    GROUP BY lifted.type, lifted.value, lifted.depth
)
SELECT
    means.type,
    means.value,
    means.depth,
    means.containers,
    means.mean_ticks / (SELECT ticks_per_second FROM trace_info) AS mean_seconds,
    means.max_ticks / (SELECT ticks_per_second FROM trace_info) AS max_seconds,
    sqrt(
        (squares.of_those_in_state + (means.containers - means.in_state) * power(means.mean_ticks, 2))
        / means.containers
    ) / (SELECT ticks_per_second FROM trace_info) AS standard_deviation,
    means.max_ticks / nullif(means.mean_ticks, 0) - 1 AS imbalance,
    means.worst_id,
    means.worst
FROM means
JOIN squares
    ON squares.type = means.type
    AND squares.value = means.value
    AND squares.depth = means.depth
