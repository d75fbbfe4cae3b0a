import { expect } from 'chai'
import { followExperiments } from '../../../cli/cluster/follow.ts'
import type { KubeClient } from '../../../common/kube/client/client.ts'
import { KubeError, LoginFailed } from '../../../common/kube/client/errors.ts'
import { VirtualTime } from '../../virtual-time.ts'
import { aSteered } from '../some-experiments.ts'

const item = (name: string, version: string) => ({
  ...aSteered({ metadata: { name, uid: `uid-of-${name}`, resourceVersion: version } }),
})
const line = (type: string, name: string, version: string) => JSON.stringify({ type, object: item(name, version) })
const gone = JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'old' } })

/** A client whose lists and watches are as given, one after the other; the last watch stays open. */
function aClient(
  lists: readonly (readonly string[] | KubeError)[],
  watches: readonly (readonly string[] | KubeError)[],
) {
  const asked: string[] = []
  const [nextLists, nextWatches] = [[...lists], [...watches]]
  const client: KubeClient = {
    request: async ({ query }) => {
      asked.push(`list ${query?.fieldSelector ?? ''}`)
      const next = nextLists.shift() ?? []
      if (next instanceof KubeError) throw next
      return { metadata: { resourceVersion: '10' }, items: next.map((name) => item(name, '10')) }
    },
    stream: async ({ query, signal }) => {
      asked.push(`watch from ${query?.resourceVersion}`)
      const lines = nextWatches.shift()
      if (lines instanceof KubeError) throw lines
      return (async function* () {
        yield* lines ?? []
        if (lines === undefined)
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      })()
    },
    close: async () => undefined,
  }
  return { client, asked }
}

/** What is seen of `client` until `until` looks were seen. */
async function seenOf(client: KubeClient, until: number, where = {}) {
  const timers = new VirtualTime()
  const interrupt = new AbortController()
  const seen: string[] = []
  const passing = setInterval(() => void timers.pass(1_000), 1)
  try {
    for await (const experiments of followExperiments(client, where, { timers, signal: interrupt.signal })) {
      seen.push(
        [...experiments.values()].map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).join(' '),
      )
      if (seen.length === until) interrupt.abort(new Error('enough'))
    }
  } finally {
    clearInterval(passing)
  }
  return seen
}

describe('the experiments that are followed', () => {
  it('are listed once and then watched', async () => {
    const { client, asked } = aClient(
      [['a']],
      [[line('ADDED', 'b', '11'), line('MODIFIED', 'a', '12'), line('DELETED', 'b', '13')]],
    )
    expect(await seenOf(client, 4)).to.deep.equal(['a@10', 'a@10 b@11', 'a@12 b@11', 'a@12'])
    expect(asked).to.deep.equal(['list ', 'watch from 10'])
  })

  it('are watched on from the last version, when a watch ends', async () => {
    const { client, asked } = aClient([['a']], [[line('BOOKMARK', 'x', '20')], [line('ADDED', 'b', '21')]])
    expect(await seenOf(client, 2)).to.deep.equal(['a@10', 'a@10 b@21'])
    expect(asked).to.deep.equal(['list ', 'watch from 10', 'watch from 20'])
  })

  it('are listed again when the version is not kept any more', async () => {
    const { client, asked } = aClient([['a'], ['b']], [[gone]])
    expect(await seenOf(client, 2)).to.deep.equal(['a@10', 'b@10'])
    expect(asked).to.deep.equal(['list ', 'watch from 10', 'list '])
  })

  it('may be only one', async () => {
    const { client, asked } = aClient([['a']], [])
    await seenOf(client, 1, { namespace: 'shop', name: 'a' })
    expect(asked[0]).to.equal('list metadata.name=a')
  })

  it('fail at once where no other try helps', async () => {
    const forbidden = new KubeError({ kind: 'forbidden', forbiddenBy: 'rights', message: 'cannot list' })
    const { client } = aClient([forbidden], [])
    const failure = await seenOf(client, 1).catch((error: unknown) => error)
    expect(failure).to.equal(forbidden)
  })

  for (const [what, failed] of Object.entries({
    'refuses the credentials': new KubeError({ kind: 'unreachable', status: 401, message: 'Unauthorized' }),
    'needs a login that fails': new KubeError(
      { kind: 'unreachable', message: 'no login' },
      { cause: new LoginFailed('no login') },
    ),
  }))
    it(`fail at once, and ask nobody again, where a watch ${what}`, async () => {
      const { client, asked } = aClient([['a']], [failed])
      expect(await seenOf(client, 2).catch((error: unknown) => error)).to.equal(failed)
      expect(asked).to.deep.equal(['list ', 'watch from 10'])
    })

  it('are watched again after a connection that breaks', async () => {
    const broken = new KubeError({ kind: 'unreachable', message: 'ECONNRESET' })
    const { client, asked } = aClient([['a']], [broken, [line('ADDED', 'b', '11')]])
    expect(await seenOf(client, 2)).to.deep.equal(['a@10', 'a@10 b@11'])
    expect(asked).to.deep.equal(['list ', 'watch from 10', 'watch from 10'])
  })
})
