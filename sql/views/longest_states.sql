-- The ten longest states of every type and value.
--
-- Durations are inclusive. Of states that are equally long, the earliest comes first, then the one of the first
-- container. Row order is unspecified: ORDER BY type, value, rank. Sorts all states once; for one value, SELECT …
-- FROM states WHERE value = … ORDER BY duration DESC LIMIT 10 is faster.
--
-- Columns:
--   type          TEXT     Type of the state.
--   value         TEXT     Name of the state.
--   rank          BIGINT   1 for the longest.
--   container_id  INTEGER  The container that was in it.
--   container     TEXT     Name of that container.
--   start_time    DOUBLE   When it began, in seconds.
--   end_time      DOUBLE   When it ended, in seconds.
--   duration      DOUBLE   How long it took, nested states included, in seconds.
--   depth         INTEGER  How many states lie beneath it on the stack.
--
-- Example:
--   SELECT value, rank, container, start_time, duration
--   FROM longest_states
--   WHERE value = 'MPI_Recv'
--   ORDER BY rank
WITH ranked AS (
    SELECT
        type,
        value,
        container_id,
        container,
        start_time,
        end_time,
        duration,
        depth,
        row_number() OVER (
            PARTITION BY type, value
            ORDER BY end_tick - start_tick DESC, start_tick, container_id, depth
        ) AS rank
    FROM states
)
SELECT
    type,
    value,
    CAST(rank AS BIGINT) AS rank,
    container_id,
    container,
    start_time,
    end_time,
    duration,
    depth
FROM ranked
WHERE rank <= 10
