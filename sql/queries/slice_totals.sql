-- All that happened between two instants, of every container: states, variables, links and events.
SELECT
    container,
    kind,
    type,
    value,
    role,
    measure,
    amount
FROM slice_totals(start => 2, stop => 5)
ORDER BY container_id, kind, type, value, role, measure
