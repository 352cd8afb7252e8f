-- The variables of the window in columns of pixels; those of what lies below a collapsed container are added up.
WITH shown AS (
    SELECT rows.container_id AS row_id, below.container_id
    FROM containers AS rows
    JOIN containers AS below
        ON below.preorder BETWEEN rows.preorder AND rows.last_descendant
        AND (rows.container_id IN :lifted OR rows.container_id = below.container_id)
    WHERE rows.container_id IN :containers
)
SELECT
    row_id AS container_id, type, slice,
    sum(mean) AS mean, min(minimum) AS minimum, max(maximum) AS maximum, count(*) AS variables
FROM variable_slices(
    (SELECT * FROM variables WHERE type IN :types AND container_id IN (SELECT container_id FROM shown)),
    slices => :width, start => :start, stop => :stop) AS slices
JOIN shown ON shown.container_id = slices.container_id
GROUP BY row_id, type, slice
ORDER BY row_id, type, slice
