-- Selection by type, value, time and length: the receives of the first half that took over a second.
SELECT
    container,
    value,
    start_time,
    duration
FROM states
WHERE type = 'MPI state'
    AND value = 'MPI_Recv'
    AND start_time < 5
    AND duration > 1
ORDER BY start_time
