-- Which containers deviate most from those of the same type and depth, how often, and in which state by how much at most.
--
-- Groups of less than five containers cannot deviate by two standard deviations; differences below a thousandth of the
-- run do not count. Needs: states.
SELECT
    container_id,
    container,
    count(*) AS deviations,
    first_value(value ORDER BY abs(z_score) DESC, slice, value) AS value,
    max(abs(z_score)) AS largest
FROM stragglers
GROUP BY container_id, container
ORDER BY largest DESC, container_id
LIMIT 10
