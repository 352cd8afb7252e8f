-- The containers that are chosen, and all that lie below them.
SELECT below.container_id
FROM containers AS below
JOIN containers AS top ON below.preorder BETWEEN top.preorder AND top.last_descendant
WHERE top.container_id IN :containers
