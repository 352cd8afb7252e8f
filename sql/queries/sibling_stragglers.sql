-- How often containers deviate from their siblings, how many do, and by how much at most.
SELECT
    count(*) AS deviations,
    count(DISTINCT container_id) AS containers,
    max(abs(z_score)) AS largest
FROM sibling_stragglers
