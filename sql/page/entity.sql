-- Every field of the states of a container at an instant, with those that the trace adds.
SELECT *
FROM states
WHERE container_id = :container AND start_time <= :time AND end_time > :time
ORDER BY type, depth
