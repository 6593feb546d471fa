import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'

const PREFIX = 'simulated writer'

export function writerName(network: string): string {
  return `${PREFIX} ${network} ${randomBytes(4).toString('hex')}`
}

const TABLES = `
  CREATE SCHEMA simulation;
  CREATE TABLE simulation.audit (
    id bigserial PRIMARY KEY, writer text, chain_id int, epoch bigint,
    head_number bigint, head_hash bytea, final_number bigint, head_before bigint, final_before bigint
  );
  CREATE FUNCTION simulation.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO simulation.audit (writer, chain_id, epoch, head_number, head_hash, final_number, head_before, final_before)
    VALUES (current_setting('application_name'), NEW.chain_id, NEW.writer_epoch,
      NEW.head_number, NEW.head_hash, NEW.final_number, OLD.head_number, OLD.final_number);
    RETURN NEW;
  END $$;
  CREATE TRIGGER audit AFTER UPDATE ON network FOR EACH ROW
    WHEN (NEW.head_hash IS DISTINCT FROM OLD.head_hash OR NEW.revision <> OLD.revision
      OR NEW.final_number IS DISTINCT FROM OLD.final_number)
    EXECUTE FUNCTION simulation.note()`

export async function startAudit(pool: Pool): Promise<void> {
  await pool.query(TABLES)
}

export interface AuditResult {
  problems: string[]
  commits: number
  epochs: number
}

/** Checks that the final block never moved back, and that epochs ascended, each with one writer. */
export async function readAudit(pool: Pool): Promise<AuditResult> {
  const problems = await Promise.all([
    linesOf(
      pool,
      `SELECT format('epoch %s of %s had %s writers', epoch, chain_id, count(DISTINCT writer)) AS line
       FROM simulation.audit GROUP BY chain_id, epoch HAVING count(DISTINCT writer) > 1`,
    ),
    linesOf(
      pool,
      `SELECT format('%s committed under epoch %s after %s', chain_id, epoch, before) AS line
       FROM (SELECT chain_id, epoch, lag(epoch) OVER (PARTITION BY chain_id ORDER BY id) AS before
         FROM simulation.audit) AS notes WHERE epoch < before`,
    ),
    linesOf(
      pool,
      `SELECT format('the final block of %s went from %s to %s', chain_id, final_before, final_number) AS line
       FROM simulation.audit WHERE final_number < final_before OR (final_number IS NULL AND final_before IS NOT NULL)`,
    ),
    linesOf(
      pool,
      `SELECT format('the head of %s went to %s, below the final %s', chain_id, head_number, final_before) AS line
       FROM simulation.audit WHERE head_number < final_before AND head_before IS NOT NULL`,
    ),
  ])
  const { rows } = await pool.query<{ commits: number; epochs: number }>(
    'SELECT count(*)::int AS commits, count(DISTINCT (chain_id, epoch))::int AS epochs FROM simulation.audit',
  )
  return { problems: problems.flat(), commits: rows[0]?.commits ?? 0, epochs: rows[0]?.epochs ?? 0 }
}

async function linesOf(pool: Pool, query: string): Promise<string[]> {
  const { rows } = await pool.query<{ line: string }>(query)
  return rows.map(({ line }) => line)
}
