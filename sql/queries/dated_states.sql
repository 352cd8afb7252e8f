-- What was going on when something else was logged: the states around an instant of wall-clock time.
--
-- The instant is that at which the longest state starts; write a date, such as TIMESTAMP '2024-05-01T12:00:00Z', for
-- another one. Needs: states.
WITH parameters AS (
    SELECT started_at AS instant
    FROM dated_states
    ORDER BY ended_at - started_at DESC, started_at
    LIMIT 1
)
SELECT
    container_id,
    container,
    type,
    value,
    started_at,
    ended_at
FROM dated_states
CROSS JOIN parameters
WHERE started_at <= instant
    AND ended_at > instant
ORDER BY container_id, type, started_at, ended_at DESC, value
