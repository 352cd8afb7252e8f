-- Grouping of values: all calls of MPI become one state, and the time of every container is split in two.
SELECT
    container,
    CASE WHEN starts_with(value, 'MPI_') THEN 'communication' ELSE 'computation' END AS activity,
    sum(duration) AS seconds
FROM state_segments
GROUP BY container_id, container, activity
ORDER BY container_id, activity
