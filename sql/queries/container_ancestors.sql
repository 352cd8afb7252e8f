-- Grouping of containers: how many messages each part of the machine sent, whoever sent them.
--
-- Every container stands for the one above it, a level higher than the deepest sender: a join, where Pajé had a filter
-- that replaced containers by their group. Needs: links.
WITH parameters AS (
    SELECT greatest(max(c.depth) - 1, 0) AS depth
    FROM links AS l
    JOIN containers AS c
        ON c.container_id = l.source_id
)
SELECT
    a.ancestor_id,
    a.ancestor,
    count(*) AS messages,
    sum(l.volume) AS volume
FROM links AS l
JOIN container_ancestors AS a
    ON a.container_id = l.source_id
WHERE a.ancestor_depth = (SELECT depth FROM parameters)
GROUP BY a.ancestor_id, a.ancestor
ORDER BY a.ancestor_id
