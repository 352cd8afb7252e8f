-- How far containers are from those like them: the largest deviation of each container, with its slice and state.
--
-- Needs: states.
SELECT
    container_id,
    container,
    max(containers) AS containers,
    first_value(slice_start ORDER BY abs(z_score) DESC NULLS LAST, slice, value) AS slice_start,
    first_value(value ORDER BY abs(z_score) DESC NULLS LAST, slice, value) AS value,
    max(abs(z_score)) AS largest
FROM state_deviations
GROUP BY container_id, container
ORDER BY largest DESC NULLS LAST, container_id
LIMIT 10
