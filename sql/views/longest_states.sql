-- The ten longest states of every type and value.
--
-- Of states that are equally long, the earliest comes first, then the one of the first container.
--
-- type          type of the state
-- value         name of the state
-- rank          1 for the longest
-- container_id  the container that was in it
-- container     name of that container
-- start_time    when it began, in seconds
-- end_time      when it ended, in seconds
-- duration      how long it took, nested states included, in seconds
-- depth         how many states lie beneath it on the stack
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
