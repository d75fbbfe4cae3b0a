import { expect } from 'chai'
import { type KubeObject, UNREAD } from '../../../common/api/object.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { PodWarnings } from '../../../controller/memory/pod-warnings.ts'
import { aStatefulSet } from '../../builders.ts'
import { VirtualTime } from '../../virtual-time.ts'

const nameOf = (id: number): string => `cart-experiment-${`${id}`.padStart(10, '0')}`
const fork = (id: number): KubeObject => ({ ...aStatefulSet(), metadata: { name: nameOf(id), namespace: 'shop' } })
const warning = (id: number, note = 'no image'): object => ({
  metadata: { name: `${nameOf(id)}-0.1` },
  regarding: { name: `${nameOf(id)}-0` },
  reason: 'Failed',
  note,
})

/** An API server that has these pages of Warnings. */
function reading(pages: readonly (readonly object[] | 'fails')[]) {
  const requests: KubeRequest[] = []
  const time = new VirtualTime()
  const client = {
    request: async (request: KubeRequest) => {
      requests.push(request)
      const at = Number(request.query?.continue ?? 0)
      const items = pages[at]
      if (items === 'fails') throw new KubeError({ kind: 'unreachable', message: 'it is gone' })
      return { items, metadata: { continue: at + 1 < pages.length ? `${at + 1}` : '' } }
    },
  }
  const warnings = new PodWarnings(client, time)
  return { requests, time, of: async (id: number) => warnings.of(fork(id)) }
}

describe('the Warnings about the pods of forks', () => {
  it('are read by one list for all forks of a namespace, which is used for 30 s', async () => {
    const { requests, time, of } = reading([[warning(1), warning(2), { junk: true }]])
    const [first, second, third] = await Promise.all([of(1), of(2), of(3)])
    expect([first, second].map((each) => each?.is === 'known' && each.value.map(({ pod }) => pod))).to.deep.equal([
      [`${nameOf(1)}-0`],
      [`${nameOf(2)}-0`],
    ])
    expect(third).to.deep.equal({ is: 'known', value: [] })
    await time.pass(29_999)
    await of(4)
    expect(requests).to.have.length(1)
    expect(requests[0]).to.deep.include({
      path: '/apis/events.k8s.io/v1/namespaces/shop/events',
      query: { fieldSelector: 'regarding.kind=Pod,type=Warning', limit: 500, continue: undefined },
      maxBytes: 2 * 1024 * 1024,
    })
    await time.pass(1)
    await of(4)
    expect(requests).to.have.length(2)
  })

  it('are those of four pages at most; what is beyond is unknown', async () => {
    const pages = [1, 2, 3, 4, 5].map((id) => [warning(id)])
    const { requests, of } = reading(pages)
    expect((await of(1)).is).to.equal('known')
    expect((await of(5)).is).to.equal('unknown')
    expect(requests).to.have.length(4)
    // its other Warnings may be on the next page
    expect((await of(4)).is).to.equal('unknown')
  })

  it('are those of 2 MiB at most', async () => {
    const long = 'x'.repeat(700 * 1024)
    const { requests, of } = reading([[warning(1, long)], [warning(2, long)], [warning(3, long)], [warning(4)]])
    expect((await of(4)).is).to.equal('unknown')
    expect(requests).to.have.length(3)
    expect(requests.map(({ maxBytes = 0 }) => maxBytes < 2 * 1024 * 1024)).to.deep.equal([false, true, true])
  })

  it('are unknown where a page cannot be read, but for those that were', async () => {
    expect((await reading(['fails']).of(1)).is).to.equal('unknown')
    const { of } = reading([[warning(1), warning(2)], 'fails'])
    expect([(await of(1)).is, (await of(2)).is, (await of(3)).is]).to.deep.equal(['known', 'unknown', 'unknown'])
  })

  it('are unknown where one is too large and may be about the fork', async () => {
    const { of } = reading([[{ metadata: { name: 'large' }, [UNREAD]: 'it is longer than 1.5 MiB' }, warning(1)]])
    expect([(await of(1)).is, (await of(2)).is]).to.deep.equal(['known', 'unknown'])
  })
})
