-- All that happened in a window, of every container: states, variables, links and events.
--
-- The window is the whole trace; choose one by start => and stop =>, in seconds or as dates.
SELECT
    container_id,
    container,
    kind,
    type,
    value,
    role,
    measure,
    amount
FROM slice_totals()
ORDER BY container_id, kind, type, value, role, measure
