// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IErc20, IPair, IConcentratedPool} from "./Interfaces.sol";

/// An arbitrageur with an inventory. In one swap, moves the pool whose price is furthest from its target back to it,
/// which keeps the prices of a local chain sane without a round trip to read them.
contract PriceKeeper {
    struct Watched {
        address pool;
        /// True for Uniswap V3 kinds; false for a Uniswap V2 pair.
        bool concentrated;
        /// Tolerated deviation of the square root of the price, in millionths.
        uint32 tolerance;
    }

    Watched[] public watched;

    function watch(Watched[] calldata pools) external {
        for (uint256 i; i < pools.length; i++) watched.push(pools[i]);
    }

    /// Takes one target per watched pool: sqrt(token1 / token0) in base units, times 2^96. Moves the pool that is
    /// furthest beyond its tolerance, if there is one.
    function rebalance(uint160[] calldata targets) external {
        uint256 worst;
        uint256 at;
        uint256 price;
        for (uint256 i; i < targets.length; i++) {
            Watched memory pool = watched[i];
            uint256 current = _sqrtPrice(pool);
            uint256 apart = ((current > targets[i] ? current - targets[i] : targets[i] - current) * 1e6) / targets[i];
            if (apart <= pool.tolerance || apart - pool.tolerance <= worst) continue;
            worst = apart - pool.tolerance;
            at = i;
            price = current;
        }
        if (worst == 0) return;
        if (watched[at].concentrated) _moveConcentrated(watched[at].pool, price, targets[at]);
        else _movePair(IPair(watched[at].pool), price, targets[at]);
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

    /// Swaps until the price of the pool reaches the target.
    function _moveConcentrated(address at, uint256 price, uint160 target) private {
        IConcentratedPool pool = IConcentratedPool(at);
        bool zeroForOne = price > target;
        bytes memory data = abi.encode(zeroForOne ? pool.token0() : pool.token1());
        pool.swap(address(this), zeroForOne, type(int256).max, target, data);
    }

    /// The reserve at the target price is sqrt(k / price) of token0 and sqrt(k * price) of token1.
    function _movePair(IPair pair, uint256 price, uint160 target) private {
        (uint256 reserve0, uint256 reserve1,) = pair.getReserves();
        uint256 root = _sqrt(reserve0 * reserve1);
        bool zeroForOne = price > target;
        uint256 paid = zeroForOne ? (root << 96) / target - reserve0 : ((root * target) >> 96) - reserve1;
        (uint256 reserveIn, uint256 reserveOut) = zeroForOne ? (reserve0, reserve1) : (reserve1, reserve0);
        IErc20 tokenIn = IErc20(zeroForOne ? pair.token0() : pair.token1());
        tokenIn.transfer(address(pair), paid);
        paid = tokenIn.balanceOf(address(pair)) - reserveIn;
        uint256 out = (paid * 997 * reserveOut) / (reserveIn * 1000 + paid * 997);
        pair.swap(zeroForOne ? 0 : out, zeroForOne ? out : 0, address(this), "");
    }

    function _sqrtPrice(Watched memory watchedPool) private view returns (uint256) {
        if (!watchedPool.concentrated) {
            (uint256 reserve0, uint256 reserve1,) = IPair(watchedPool.pool).getReserves();
            return _sqrt((reserve1 << 144) / reserve0) << 24;
        }
        // slot0() of both pool kinds begins with the price.
        (bool done, bytes memory slot0) = watchedPool.pool.staticcall(abi.encodeWithSignature("slot0()"));
        require(done && slot0.length >= 32, "no slot0");
        return abi.decode(slot0, (uint256));
    }

    /// Integer square root, rounded down (Babylonian method).
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
