import { expect } from 'chai'
import { eventually } from '../../sandbox/eventually.ts'
import { ownWrites } from '../../sandbox/proof.ts'
import { controlPlane } from './fixture.ts'

/**
 * Resolves when no account of ours has written in `namespace` for `quietMs`; other suites' experiments may have news.
 * @throws AssertionError that names what was written
 */
export async function staysQuiet(namespace: string, quietMs: number): Promise<void> {
  const { auditLog } = await controlPlane()
  const since = new Date()
  const until = performance.now() + quietMs
  const written = async () => {
    const { all } = await ownWrites(auditLog, since)
    return all.filter((request) => request.includes(`/${namespace}/`))
  }
  await eventually(
    `${quietMs} ms to pass`,
    2 * quietMs,
    async () => {
      const left = until - performance.now()
      if ((await written()).length === 0 && left > 0) throw new Error(`${left} ms are left`)
    },
    { pauseMs: 1_000 },
  )
  expect(await written()).to.deep.equal([])
}
