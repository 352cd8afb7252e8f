-- How far each container is from the mean of its siblings, in every half of the run: its worst state first.
SELECT
    s.slice,
    s.container,
    s.value,
    s.seconds - avg(s.seconds) OVER (PARTITION BY s.slice, c.parent_id, s.type, s.value) AS deviation
FROM state_slices(state_segments, slices => 2, fill => true) AS s
JOIN containers AS c
    ON c.container_id = s.container_id
ORDER BY abs(deviation) DESC, s.slice, s.container, s.value
LIMIT 10
