-- Why containers wait, whom they wait for, and for how long.
--
-- Needs: states.
SELECT
    kind,
    partner,
    count(DISTINCT container_id) AS waiters,
    sum(waits) AS waits,
    sum(seconds) AS seconds
FROM wait_states()
GROUP BY kind, partner_id, partner
ORDER BY seconds DESC, kind, partner_id
