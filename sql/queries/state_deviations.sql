-- How far containers are from those like them: the largest deviation of each container, with its slice and state.
--
-- Only differences of at least a thousandth of the run count; largest is NULL where there is none. Needs: states.
WITH deviations AS (
    SELECT
        container_id,
        container,
        containers,
        slice,
        CASE WHEN matters THEN slice_start END AS slice_start,
        CASE WHEN matters THEN value END AS value,
        CASE WHEN matters THEN abs(z_score) END AS distance
    FROM (
        SELECT *, abs(seconds - mean_seconds) >= (0.1 - 1e-9) * (slice_end - slice_start) AS matters
        FROM state_deviations
    )
)
SELECT
    container_id,
    container,
    max(containers) AS containers,
    first_value(slice_start ORDER BY distance DESC NULLS LAST, slice, value) AS slice_start,
    first_value(value ORDER BY distance DESC NULLS LAST, slice, value) AS value,
    max(distance) AS largest
FROM deviations
GROUP BY container_id, container
ORDER BY largest DESC NULLS LAST, container_id
LIMIT 10
