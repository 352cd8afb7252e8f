-- The variables of the window in columns of pixels; those of what lies below a collapsed container are added up.
SELECT
    rows.container_id, slices.type, slice,
    sum(mean) AS mean, min(minimum) AS minimum, max(maximum) AS maximum, count(*) AS variables
FROM variable_slices((SELECT * FROM variables WHERE type IN :types), slices => :width, start => :start, stop => :stop) AS slices
JOIN containers AS below ON below.container_id = slices.container_id
JOIN containers AS rows
    ON below.preorder BETWEEN rows.preorder AND rows.last_descendant
    AND (rows.container_id IN :lifted OR rows.container_id = below.container_id)
WHERE rows.container_id IN :containers
GROUP BY rows.container_id, slices.type, slice
ORDER BY rows.container_id, slices.type, slice
