-- Largest waits
-- Who waits for whom, in which way and how long; the largest first. :type is the type of states.
SELECT
    kind,
    container,
    partner,
    sum(waits) AS waits,
    sum(seconds) AS seconds
FROM wait_states((SELECT * FROM state_segments WHERE type = :type))
GROUP BY kind, container_id, container, partner_id, partner
ORDER BY seconds DESC, container_id, kind, partner_id
