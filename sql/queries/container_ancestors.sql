-- How many containers lie below each one, at any depth.
SELECT
    ancestor AS container,
    count(*) - 1 AS containers_below
FROM container_ancestors
GROUP BY ancestor_id, ancestor
ORDER BY containers_below DESC, ancestor_id
