import { expect } from 'chai'
import { aPlugin } from './a-plugin.ts'

describe('all commands of the plugin', () => {
  it('take the flags of a connection', async () => {
    const { run, connected } = aPlugin()
    await run(
      'get',
      '-n',
      'till',
      '--context=c',
      '--as=a',
      '--as-group=g',
      '--as-group=h',
      '--as-uid=u',
      '--request-timeout=5s',
    )
    expect(connected[0]).to.deep.include({
      ...{ namespace: 'till', context: 'c', as: 'a', asGroup: ['g', 'h'], asUid: 'u', requestTimeout: '5s' },
    })
  })
})
