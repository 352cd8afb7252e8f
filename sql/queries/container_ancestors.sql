-- Grouping of containers: how many messages each machine sent, whoever sent them.
--
-- Every container stands for the machine above it: a join, where Pajé had a filter that replaced
-- containers by their group.
SELECT
    a.ancestor AS machine,
    count(*) AS messages,
    sum(l.volume) AS volume
FROM links AS l
JOIN container_ancestors AS a
    ON a.container_id = l.source_id
WHERE a.ancestor_type = 'Machine'
GROUP BY a.ancestor_id, a.ancestor
ORDER BY a.ancestor_id
