-- Phases of communication: when each one is, and how much it moves.
--
-- Needs: links.
SELECT
    phase,
    start_time,
    end_time,
    messages,
    volume
FROM comm_phases(phases => 5, per => 'phase')
ORDER BY phase
