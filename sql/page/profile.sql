-- How long the containers of the selection are in each state within the window.
SELECT type, value, sum(seconds) AS seconds, count(DISTINCT container_id) AS containers
FROM state_slices(state_segments, start => :start, stop => :stop)
WHERE :condition
GROUP BY type, value
ORDER BY seconds DESC, type, value
