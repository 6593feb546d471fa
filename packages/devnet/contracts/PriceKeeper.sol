// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IErc20, IPair, IConcentratedPool} from "./Interfaces.sol";

/// An arbitrageur with an inventory: brings the pool that strays most from its target back to it, in one swap. Keeps
/// the prices of a local chain sane without a round trip to read them.
contract PriceKeeper {
    struct Target {
        address pool;
        bool concentrated;
        /// sqrt(token1 / token0) in base units, times 2^96.
        uint160 sqrtPriceX96;
        /// Deviation of the square root that is left alone, in millionths.
        uint32 tolerance;
    }

    /// Does nothing where every pool is within its tolerance. `tolerance` counts: the pool furthest beyond its own.
    function rebalance(Target[] calldata targets) external {
        uint256 worst;
        uint256 at;
        uint256 price;
        for (uint256 i; i < targets.length; i++) {
            uint256 current = _sqrtPrice(targets[i]);
            uint256 target = targets[i].sqrtPriceX96;
            uint256 apart = ((current > target ? current - target : target - current) * 1e6) / target;
            if (apart <= targets[i].tolerance || apart - targets[i].tolerance <= worst) continue;
            worst = apart - targets[i].tolerance;
            at = i;
            price = current;
        }
        if (worst == 0) return;
        if (targets[at].concentrated) _moveConcentrated(targets[at], price);
        else _movePair(targets[at], price);
    }

    function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
        _pay(amount0, amount1, data);
    }

    function pancakeV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
        _pay(amount0, amount1, data);
    }

    function _pay(int256 amount0, int256 amount1, bytes calldata data) private {
        IErc20(abi.decode(data, (address))).transfer(msg.sender, uint256(amount0 > 0 ? amount0 : amount1));
    }

    /// A pool swaps until its price meets the limit.
    function _moveConcentrated(Target calldata target, uint256 price) private {
        bool zeroForOne = price > target.sqrtPriceX96;
        IConcentratedPool pool = IConcentratedPool(target.pool);
        bytes memory data = abi.encode(zeroForOne ? pool.token0() : pool.token1());
        pool.swap(address(this), zeroForOne, type(int256).max, target.sqrtPriceX96, data);
    }

    /// The reserve at the target price is sqrt(k / price) of token0 and sqrt(k * price) of token1.
    function _movePair(Target calldata target, uint256 price) private {
        IPair pair = IPair(target.pool);
        (uint256 reserve0, uint256 reserve1,) = pair.getReserves();
        uint256 root = _sqrt(reserve0 * reserve1);
        bool zeroForOne = price > target.sqrtPriceX96;
        uint256 paid = zeroForOne
            ? (root << 96) / target.sqrtPriceX96 - reserve0
            : ((root * target.sqrtPriceX96) >> 96) - reserve1;
        (uint256 reserveIn, uint256 reserveOut) = zeroForOne ? (reserve0, reserve1) : (reserve1, reserve0);
        IErc20 tokenIn = IErc20(zeroForOne ? pair.token0() : pair.token1());
        tokenIn.transfer(target.pool, paid);
        paid = tokenIn.balanceOf(target.pool) - reserveIn;
        uint256 out = (paid * 997 * reserveOut) / (reserveIn * 1000 + paid * 997);
        pair.swap(zeroForOne ? 0 : out, zeroForOne ? out : 0, address(this), "");
    }

    function _sqrtPrice(Target calldata target) private view returns (uint256) {
        if (!target.concentrated) {
            (uint256 reserve0, uint256 reserve1,) = IPair(target.pool).getReserves();
            return _sqrt((reserve1 << 144) / reserve0) << 24;
        }
        // slot0() of both pool kinds begins with the price.
        (bool done, bytes memory slot0) = target.pool.staticcall(abi.encodeWithSignature("slot0()"));
        require(done && slot0.length >= 32, "no slot0");
        return abi.decode(slot0, (uint256));
    }

    /// Rounded down (Babylonian).
    function _sqrt(uint256 value) private pure returns (uint256 root) {
        if (value == 0) return 0;
        root = 1;
        uint256 rest = value;
        if (rest >> 128 > 0) { rest >>= 128; root <<= 64; }
        if (rest >> 64 > 0) { rest >>= 64; root <<= 32; }
        if (rest >> 32 > 0) { rest >>= 32; root <<= 16; }
        if (rest >> 16 > 0) { rest >>= 16; root <<= 8; }
        if (rest >> 8 > 0) { rest >>= 8; root <<= 4; }
        if (rest >> 4 > 0) { rest >>= 4; root <<= 2; }
        if (rest >> 2 > 0) root <<= 1;
        for (uint256 i; i < 7; i++) root = (root + value / root) >> 1;
        uint256 other = value / root;
        return root < other ? root : other;
    }
}
