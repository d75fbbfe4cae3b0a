import { expect } from 'chai'
import type { KubeObject } from '../../../../common/api/object.ts'
import { RESOURCES } from '../../../../common/kube/client/resources.ts'
import { type Arrival, arrival } from '../../../../common/kube/watch/intake.ts'
import { afterOf, beforeOf, type ObjectChange, Store } from '../../../../common/kube/watch/store.ts'
import { cart } from '../../../fakes/wire-by-hand.ts'

const INTAKE = { resource: RESOURCES.Deployment, managedFields: 'none' } as const
const whole = (object: KubeObject): KubeObject => object

function arrived(
  fields: Parameters<typeof cart>[0],
  project: (object: KubeObject) => KubeObject | undefined = whole,
): Arrival<KubeObject> {
  const found = arrival(cart(fields), { ...INTAKE, project })
  if (!found) throw new Error('not an object')
  return found
}

const nameOf = ({ metadata: { uid, resourceVersion } }: KubeObject): string => `${uid}@${resourceVersion}`

const reported = (changes: readonly ObjectChange<KubeObject>[]): readonly string[] =>
  changes.map(
    (change) => `${change.is} ${change.key} ${nameOf(change.is === 'deleted' ? change.before : change.after)}`,
  )

describe('Store', () => {
  let store = new Store<KubeObject>()
  beforeEach('an object at version 9', () => {
    store = new Store()
    store.put(arrived({ version: 9 }))
  })
  const stored = () => store.list().map(nameOf)

  describe('put', () => {
    it('adds an object', () => {
      expect(reported(store.put(arrived({ name: 'till', uid: 'u2', version: 3 })))).to.deep.equal([
        'added shop/till u2@3',
      ])
      expect([store.size, stored()]).to.deep.equal([2, ['u1@9', 'u2@3']])
    })

    it('updates an object by a newer version', () => {
      const [change] = store.put(arrived({ version: 10 }))
      expect(change?.is === 'updated' && [nameOf(change.before), nameOf(change.after)]).to.deep.equal(['u1@9', 'u1@10'])
    })

    it('ignores the same version and older ones', () => {
      expect([store.put(arrived({ version: 9 })), store.put(arrived({ version: 8 }))]).to.deep.equal([[], []])
      expect(stored()).to.deep.equal(['u1@9'])
    })

    it('keeps the spec of an object whose generation is the same, and no other spec', () => {
      const put = (uid: string, version: number, generation: number) => {
        const value = (object: KubeObject) => ({
          ...object,
          metadata: { ...object.metadata, generation },
          spec: { replicas: version },
        })
        store.put(arrived({ uid, version }, value))
        return store.get('shop/cart')?.spec
      }
      const spec = put('u2', 3, 1)
      expect(put('u2', 4, 1)).to.equal(spec)
      expect(put('u2', 5, 2)).to.deep.equal({ replicas: 5 })
      expect(put('u3', 6, 2)).to.deep.equal({ replicas: 6 })
    })

    it('takes another uid under the same name for another object, whatever its version', () => {
      const changes = store.put(arrived({ uid: 'u2', version: 5 }))
      expect(reported(changes)).to.deep.equal(['deleted shop/cart u1@9', 'added shop/cart u2@5'])
    })
  })

  describe('remove', () => {
    it('removes the object', () => {
      expect(reported(store.remove(arrived({ version: 12 })))).to.deep.equal(['deleted shop/cart u1@9'])
      expect([store.size, store.get('shop/cart')]).to.deep.equal([0, undefined])
    })

    it('does not remove another object that has taken its name', () => {
      expect(store.remove(arrived({ uid: 'u0', version: 12 }))).to.deep.equal([])
      expect(stored()).to.deep.equal(['u1@9'])
    })
  })

  describe('replace', () => {
    it('reports what a list changes, and nothing about what it does not', () => {
      store.put(arrived({ name: 'same', uid: 'u2', version: 4 }))
      store.put(arrived({ name: 'gone', uid: 'u3', version: 5 }))
      const changes = store.replace([
        arrived({ version: 11 }),
        arrived({ name: 'same', uid: 'u2', version: 4 }),
        arrived({ name: 'new', uid: 'u4', version: 6 }),
      ])
      expect(reported(changes)).to.deep.equal([
        'updated shop/cart u1@11',
        'deleted shop/gone u3@5',
        'added shop/new u4@6',
      ])
    })

    it('goes back to older versions: a list is complete', () => {
      expect(reported(store.replace([arrived({ version: 2 })]))).to.deep.equal(['updated shop/cart u1@2'])
    })
  })

  describe('isGoneOrDeleting', () => {
    it('is false while the object of that uid is there', () =>
      expect(store.isGoneOrDeleting('shop/cart', 'u1')).to.equal(false))

    it('is true once the object is marked as deleted', () => {
      store.put(arrived({ version: 10, more: { deletionTimestamp: '2026-11-21T12:00:00Z' } }))
      expect(store.isGoneOrDeleting('shop/cart', 'u1')).to.equal(true)
    })

    it('is true if the name is free or belongs to another uid', () =>
      expect([store.isGoneOrDeleting('shop/till', 'u1'), store.isGoneOrDeleting('shop/cart', 'u0')]).to.deep.equal([
        true,
        true,
      ]))
  })

  describe('whose projection drops an object', () => {
    const isKept = ({ metadata }: KubeObject) => metadata.labels?.kept === 'yes'
    const labelled = (version: number, kept: string) =>
      arrived({ version, more: { labels: { kept } } }, (object) => (isKept(object) ? object : undefined))
    beforeEach(() => {
      store = new Store()
      store.put(labelled(9, 'no'))
    })

    it('counts the object but does not list it', () => expect([store.size, stored()]).to.deep.equal([1, []]))

    it('reports it as added and deleted when the projection changes its mind', () => {
      expect(reported(store.put(labelled(10, 'yes')))).to.deep.equal(['added shop/cart u1@10'])
      expect(reported(store.put(labelled(11, 'no')))).to.deep.equal(['deleted shop/cart u1@10'])
    })
  })
})

describe('beforeOf and afterOf', () => {
  it('return the two states of a change, as far as it has them', () => {
    const states = (
      [
        { is: 'added', key: 'shop/cart', after: 2 },
        { is: 'updated', key: 'shop/cart', before: 1, after: 2 },
        { is: 'deleted', key: 'shop/cart', before: 1 },
      ] as const
    ).map((change) => [beforeOf(change), afterOf(change)])
    expect(states).to.deep.equal([
      [undefined, 2],
      [1, 2],
      [1, undefined],
    ])
  })
})
