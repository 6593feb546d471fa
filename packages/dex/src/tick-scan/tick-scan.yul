/// Init code that reads the initialised ticks in ranges of pools. It runs inside the node, by an eth_call without a
/// recipient. The code is followed by `callsWord` (see tick-scan.ts) and the ranges. A range is
///
///     [slot (32)] target (20) from (4) until (4) spacing (4)
///
/// where a position, such as from and until, is a tick divided by the spacing of the bitmap's bits. The code returns
///
///     mark (4) range (2) position (4)              where the scan stopped; the number of ranges if it is complete
///     { range (2) flag (1) position (4) net (16) gross (16) } ...
///
/// with a record for each initialised tick, in order (flag 1 if it holds more than liquidity), and a record with flag 2
/// for a range with a failed call. The scan stops before it runs out of gas or of bytes that it may return.
object "TickScan" {
  code {
    // Memory: 0x00 hash input, 0x40 a call's selector and argument, 0x80 its reply (up to 9 words),
    // 0x1a0 callsWord, 0x1c0 slot and range, 0x200 index of the range, 0x220 end of the records, 0x256 returned data.
    codecopy(0x1a0, datasize("TickScan"), 32)
    mstore(0x220, 0x260)
    let stride := calls(8)
    for { let at := add(datasize("TickScan"), 32) } lt(at, codesize()) { at := add(at, stride) } {
      codecopy(sub(0x200, stride), at, stride)
      scanRange()
      mstore(0x200, add(mload(0x200), 1))
    }
    finish(0)

    /// Returns a byte of callsWord.
    function calls(index) -> value { value := byte(index, mload(0x1a0)) }

    function scanRange() {
      let position := signextend(3, shr(64, mload(0x1e0)))
      let until := signextend(3, shr(32, mload(0x1e0)))
      let spacing := and(mload(0x1e0), 0xffffffff)
      for {} slt(position, until) { position := shl(8, add(sar(8, position), 1)) } {
        finishWithoutRoom(position)
        if iszero(read(mload(0x1a0), sar(8, position), calls(9), 1)) { record(2, position, 0) leave }
        // Bits below the position have been read.
        let bits := and(mload(0x80), shl(and(position, 255), not(0)))
        for {} bits { bits := and(bits, sub(bits, 1)) } {
          position := or(shl(8, sar(8, position)), lowestBit(bits))
          finishWithoutRoom(position)
          if iszero(readTick(mul(position, spacing))) { record(2, position, 0) leave }
          recordTick(position)
        }
      }
    }

    function readTick(tick) -> done {
      let words := calls(11)
      done := read(shl(32, mload(0x1a0)), tick, calls(10), words)
      // A tick with more than liquidity has a reply of known length.
      if calls(12) { done := and(done, eq(returndatasize(), mul(32, words))) }
    }

    function recordTick(position) {
      switch calls(10)
      case 0 {
        let other := calls(12)
        if other { other := iszero(iszero(mload(add(0x80, mul(32, other))))) }
        record(other, position, or(shl(128, mload(0xa0)), shr(128, shl(128, mload(0x80)))))
      }
      // Uniswap V4 stores net and gross in one word.
      default { record(0, position, mload(0x80)) }
    }

    /// Calls the target with a key. If `mapping` is not 0, the argument is the key's slot in the mapping at that offset
    /// from the pool's slot. Returns whether the reply has at least `words` words, which are then at 0x80.
    function read(selector, key, mapping, words) -> done {
      if mapping {
        mstore(0x00, key)
        mstore(0x20, add(mload(0x1c0), mapping))
        key := keccak256(0x00, 0x40)
      }
      mstore(0x40, selector)
      mstore(0x44, key)
      // A tick costs up to 20,000 gas.
      done := staticcall(300000, shr(96, mload(0x1e0)), 0x40, 36, 0x80, mul(32, words))
      done := and(done, iszero(lt(returndatasize(), mul(32, words))))
    }

    function lowestBit(bits) -> index {
      bits := and(bits, sub(0, bits))
      for { let half := 128 } half { half := shr(1, half) } {
        if shr(half, bits) {
          bits := shr(half, bits)
          index := add(index, half)
        }
      }
    }

    /// Ends the scan if one more call could leave too little gas to return, or one more record would not fit. Creating a
    /// contract costs 200 gas per returned byte, of which there may be 24,576 (EIP-170), even though nothing is stored.
    /// The reserve of 350,000 gas pays for the call, of which the caller keeps 1/64 (EIP-150), its record and the return.
    function finishWithoutRoom(position) {
      let length := sub(mload(0x220), 0x256)
      if or(lt(gas(), add(mul(200, length), 350000)), gt(length, sub(24576, 39))) { finish(position) }
    }

    function record(flag, position, liquidity) {
      let end := mload(0x220)
      let head := or(shl(32, or(shl(8, mload(0x200)), flag)), and(position, 0xffffffff))
      mstore(end, shl(200, head))
      mstore(add(end, 7), liquidity)
      mstore(0x220, add(end, 39))
    }

    /// The mark begins with 0, because the node takes the returned data for code, and rejects code that begins with 0xef
    /// (EIP-3541).
    function finish(position) {
      let header := or(shl(32, or(shl(16, 0x00746b73), mload(0x200))), and(position, 0xffffffff))
      mstore(0x240, header)
      return(0x256, sub(mload(0x220), 0x256))
    }
  }
}
