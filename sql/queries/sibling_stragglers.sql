-- How often containers deviate from their siblings, how many do, and by how much at most.
--
-- Groups of less than five siblings cannot deviate by two standard deviations.
SELECT
    count(*) AS deviations,
    count(DISTINCT container_id) AS containers,
    max(abs(z_score)) AS largest
FROM sibling_stragglers
