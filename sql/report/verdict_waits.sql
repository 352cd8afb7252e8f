-- Largest waits
-- Who waits for whom, in which way and how long; the largest first.
SELECT
    kind,
    container,
    partner,
    waits,
    seconds
FROM wait_states()
ORDER BY seconds DESC, container_id, kind, partner
LIMIT 3
