import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import { Crowd } from './crowd-watch.ts'

const object = (name: string, isReady: boolean): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, namespace: 'shop' },
  status: { isReady },
})

describe('a crowd', () => {
  const followed = (...events: readonly (readonly [string, KubeObject])[]) => {
    const crowd = new Crowd(({ status }) => (status as { isReady: boolean }).isReady)
    for (const [type, object] of events) crowd.take({ type, object })
    return crowd
  }

  it('counts an object once, however often it changes while it is ready', () => {
    const events = ['ADDED', 'MODIFIED', 'MODIFIED'].map((type) => [type, object('a', true)] as const)
    expect(followed(...events)).to.include({ size: 1, changes: 3 })
  })

  it('no longer counts an object that is not ready any more, or gone', () => {
    const added = [['ADDED', object('a', true)] as const, ['ADDED', object('b', true)] as const]
    expect(followed(...added).size).to.equal(2)
    const restarted = followed(...added)
    restarted.restart()
    expect(restarted.size).to.equal(0)
    expect(followed(...added, ['MODIFIED', object('a', false)], ['DELETED', object('b', true)]).size).to.equal(0)
  })
})
