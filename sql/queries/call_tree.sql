-- Where the time goes by path, over all containers: the states around a state show why it was entered.
--
-- Needs: states.
SELECT
    type,
    path,
    sum(states) AS states,
    sum(inclusive_seconds) AS inclusive_seconds,
    sum(exclusive_seconds) AS exclusive_seconds
FROM call_tree
GROUP BY type, path
ORDER BY type, path
