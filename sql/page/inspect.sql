-- What was going on in one container at an instant.
SELECT kind, container_id, container, type, value, start_time, end_time, depth, source, target
FROM inspect(:container, time => :time)
ORDER BY kind, type, depth
