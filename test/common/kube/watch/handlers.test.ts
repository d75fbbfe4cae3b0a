import { expect } from 'chai'
import { Handlers } from '../../../../common/kube/watch/handlers.ts'
import type { ObjectChange } from '../../../../common/kube/watch/store.ts'
import { Yielder } from '../../../../common/program/yielder.ts'
import { diaryLog, VirtualTime } from '../../../virtual-time.ts'

const added = (key: string): ObjectChange<string> => ({ is: 'added', key, after: key })

describe('the handlers of a store', () => {
  function handlers() {
    const [log, called] = [diaryLog(), [] as string[]]
    const state = { errors: 0, isOver: false }
    const onError = () => {
      state.errors += 1
    }
    const all = new Handlers<string>({ log, onError, isOver: () => state.isOver })
    return { all, called, log, state }
  }

  it('are called in their order, go on where one throws, and not after the end', () => {
    const { all, called, state } = handlers()
    all.add(() => {
      throw new Error('a bug')
    })
    const end = all.add(({ key }) => void called.push(`first ${key}`))
    all.add(({ key }) => void called.push(`second ${key}`))
    all.call(added('a'))
    end()
    all.call(added('b'))
    state.isOver = true
    all.call(added('c'))
    expect(called).to.deep.equal(['first a', 'second a', 'second b'])
    expect(state.errors).to.equal(2)
  })

  it('N29: let other work come in between where many changes take long', async () => {
    const { all, called } = handlers()
    const time = new VirtualTime()
    let now = 0
    all.add(({ key }) => {
      now += 3 // milliseconds of work
      called.push(key)
    })
    const changes = ['a', 'b', 'c', 'd'].map(added)
    const calling = all.callInTurns(changes, new Yielder({ ...time, now: () => now }))
    expect(called).to.deep.equal(['a', 'b'])
    await calling
    expect(called).to.deep.equal(['a', 'b', 'c', 'd'])
  })
})
