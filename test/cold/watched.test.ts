import { expect } from 'chai'
import { stumblingBlocks } from './watched.ts'

describe('the output of a command on a machine without caches', () => {
  it('N50: is fine if it goes on and ends with its total', () => {
    const lines = ['building etcd, 6 more after it', 'in memory: 3 passed, 0 failed', '', '5 passed, 0 failed', '']
    const told = lines.map((text, index) => ({ atMs: 60_000 * index, text }))
    expect(stumblingBlocks(told, 300_000)).to.deep.equal([])
  })

  it('N50: has a silence, a warning of Node, and totals that look like the end', () => {
    const told = [
      { atMs: 0, text: '(node:1) Warning: insecure' },
      { atMs: 200_000, text: '3 passed, 0 failed' },
      { atMs: 201_000, text: '5 passed, 0 failed' },
    ]
    expect(stumblingBlocks(told, 400_000)).to.deep.equal([
      '200 s of silence after: (node:1) Warning: insecure',
      '199 s of silence after: 5 passed, 0 failed',
      'a warning of Node: (node:1) Warning: insecure',
      'looks like the end: 3 passed, 0 failed',
    ])
  })
})
