-- How long containers were in each state, by the states around it: nested states as paths.
--
-- The parent of a state is the state of the same container and type that it lies in. Recursion gives longer
-- paths, so no time is counted twice within a path. The exclusive times of a container and type add up to the
-- time that it was in any state of the type, as those of flat_profile do. A slash in the name of a state is kept
-- as it is. A state of no length may be given a parent of its own instant that it did not lie in, since the
-- order of what happens at one instant is not stored; seconds are right all the same. See call_paths, which finds the paths.
--
-- Columns:
--   container_id       INTEGER  The container.
--   container          TEXT     Name of the container.
--   type               TEXT     Type of the states.
--   path               TEXT     The states from the outermost down to it, joined by slashes.
--   value              TEXT     The state itself, last in the path.
--   depth              INTEGER  How many states lie around it.
--   states             BIGINT   How often the container was in it by this path.
--   inclusive_seconds  DOUBLE   Time in it and in what is nested in it.
--   exclusive_seconds  DOUBLE   Time in it alone.
--
-- Example:
--   SELECT path, states, inclusive_seconds, exclusive_seconds
--   FROM call_tree
--   WHERE container = 'process 1'
--   ORDER BY path

-- The parent of a state is the state of the same container and type that it lies in. What a path took
-- without the paths below it is its time less the time of those one step longer; for that, every path
-- is also given to its parent:
--
--   main      ########    main      +8 of its own, -4 for main/f
--   main/f      ####      main/f    +4
WITH totals AS (
    SELECT
        container_id,
        container,
        type,
        path,
        value,
        depth,
        states,
        ticks
    FROM call_paths(states)
),
steps_up AS (
    SELECT column1 AS steps FROM (VALUES (0), (1))
),
given AS (
    SELECT
        totals.container_id,
        totals.container,
        totals.type,
        CASE
            WHEN steps_up.steps = 0 THEN totals.path
            ELSE left(totals.path, length(totals.path) - length(totals.value) - 1)
        END AS path,
        CASE WHEN steps_up.steps = 0 THEN totals.value END AS value,
        totals.depth - steps_up.steps AS depth,
        CASE WHEN steps_up.steps = 0 THEN totals.states ELSE 0 END AS states,
        CASE WHEN steps_up.steps = 0 THEN totals.ticks ELSE 0 END AS inclusive_ticks,
        CASE WHEN steps_up.steps = 0 THEN totals.ticks ELSE -totals.ticks END AS exclusive_ticks
    FROM steps_up
    JOIN totals
        ON totals.depth >= steps_up.steps
)
SELECT
    container_id,
    container,
    type,
    path,
    max(value) AS value,
    CAST(depth AS INTEGER) AS depth,
    sum(states) AS states,
    tick_seconds(sum(inclusive_ticks), (SELECT ticks_per_second FROM trace_info)) AS inclusive_seconds,
    tick_seconds(sum(exclusive_ticks), (SELECT ticks_per_second FROM trace_info)) AS exclusive_seconds
FROM given
GROUP BY container_id, container, type, path, depth
