-- Why the containers of the selection wait within the window.
SELECT kind, sum(waits) AS waits, sum(seconds) AS seconds
FROM wait_states(start => :start, stop => :stop)
WHERE :condition
GROUP BY kind
ORDER BY seconds DESC, kind
