-- What each container has: types of states, with how deep they are nested, of events and of variables.
SELECT 'state' AS kind, container_id, type, count(*) AS entities, max(depth) AS deepest
FROM states
GROUP BY container_id, type
UNION ALL
SELECT 'event' AS kind, container_id, type, count(*) AS entities, 0 AS deepest
FROM events
GROUP BY container_id, type
UNION ALL
SELECT 'variable' AS kind, container_id, type, count(*) AS entities, 0 AS deepest
FROM variables
GROUP BY container_id, type
ORDER BY container_id, kind DESC, type
