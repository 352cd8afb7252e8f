-- Selection, as a filter of Paje: only some types, some values, and some part of the machine.
WITH members AS (
    SELECT container_id
    FROM container_ancestors
    WHERE ancestor = 'machine-a'
)
SELECT
    s.container,
    s.value,
    s.start_time,
    s.end_time
FROM states AS s
WHERE s.type = 'MPI state'
    AND s.value IN ('MPI_Send', 'MPI_Recv')
    AND s.container_id IN (SELECT container_id FROM members)
ORDER BY s.start_time, s.container_id
