-- How many rows of a picture each part of the machine needs when rows are used again, and how many it would need otherwise.
SELECT
    l.parent_id,
    coalesce(parents.name, 'none') AS parent,
    l.type,
    max(l.lanes) AS lanes,
    count(*) AS containers
FROM container_lanes() AS l
LEFT JOIN containers AS parents
    ON parents.container_id = l.parent_id
GROUP BY l.parent_id, parents.name, l.type
ORDER BY l.parent_id NULLS FIRST, l.type
