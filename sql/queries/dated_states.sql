-- What was going on when something else was logged: the states around an instant of the wall clock.
SELECT
    container,
    value,
    started_at,
    ended_at
FROM dated_states
WHERE started_at <= '1970-01-01T00:00:04Z' AND ended_at > '1970-01-01T00:00:04Z'
ORDER BY container
