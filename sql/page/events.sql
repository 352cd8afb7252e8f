-- The events of the window, counted in columns of pixels.
SELECT container_id, type, value, slice, events
FROM event_slices(slices => :width, start => :start, stop => :stop)
WHERE container_id IN :containers
ORDER BY container_id, slice, value
