-- What would make the run shorter, the most promising change first: one replay for each row of replay_changes.
--
-- Needs: states.
SELECT
    change,
    measured_seconds,
    replayed_seconds,
    saved_seconds,
    saved_share
FROM replay_savings()
ORDER BY saved_seconds DESC, change
