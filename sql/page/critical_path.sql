-- The chain of steps that determines the end of the window.
SELECT step, kind, container_id, container, target_id, target, value, activity, start_time, end_time, seconds, share
FROM critical_path(start => :start, stop => :stop)
ORDER BY step
