-- The containers that the rows of the user's own statement belong to.
SELECT containers.container_id, count(*) AS rows
FROM (
:rows
) AS rows
JOIN containers ON containers.container_id = rows.container_id
GROUP BY containers.container_id, containers.preorder
ORDER BY containers.preorder
