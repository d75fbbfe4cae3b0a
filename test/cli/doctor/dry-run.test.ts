import { expect } from 'chai'
import { dryRun } from '../../../cli/doctor/dry-run.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { someFacts } from './an-installation.ts'

const WATCHING = { name: 'WATCH_NAMESPACE', value: 'shop' }

describe('a dry run of the doctor', () => {
  it('is made in the namespace that is served', async () => {
    const { facts, posts } = await someFacts()
    const { installation } = facts
    await dryRun({ ...facts, installation: { ...installation, served: WATCHING.value } }, {})
    expect(posts.map(([, , namespace]) => namespace)).to.deep.equal(['shop'])
  })

  it('tells a webhook that does not answer from a refusal, and both from no answer', async () => {
    const answers = {
      broken: { kind: 'server', status: 500 },
      refused: { kind: 'invalid', status: 422 },
      unanswered: { kind: 'server', status: 504 },
    } as const
    for (const [is, failure] of Object.entries(answers)) {
      const { facts } = await someFacts({ posted: () => new KubeError({ ...failure, message: 'no' }) })
      expect((await dryRun(facts, {})).is).to.equal(is)
    }
  })

  it('does not hide a bug', async () => {
    const { facts } = await someFacts({ posted: () => new TypeError('a bug') })
    expect(await dryRun(facts, {}).catch((error: unknown) => error)).to.be.instanceOf(TypeError)
  })
})
