// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// Emits the events of a pool and answers like one, although no factory made it. An indexer must ignore it.
contract Forger {
    event Sync(uint112 reserve0, uint112 reserve1);
    event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1);

    bytes32 private constant SWAP_V2 = keccak256("Swap(address,uint256,uint256,uint256,uint256,address)");
    bytes32 private constant SWAP_V3 = keccak256("Swap(address,address,int256,int256,uint160,uint128,int24)");
    bytes32 private constant SWAP_PANCAKE_V3 =
        keccak256("Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)");

    address public immutable factory;
    address public immutable token0;
    address public immutable token1;
    uint24 public constant fee = 500;
    int24 public constant tickSpacing = 10;

    constructor(address factory_, address token0_, address token1_) {
        factory = factory_;
        token0 = token0_;
        token1 = token1_;
    }

    function forge(uint256 amount0, uint256 amount1) external {
        uint160 price = 1 << 96;
        _log(SWAP_V2, abi.encode(amount0, uint256(0), uint256(0), amount1));
        _log(SWAP_V3, abi.encode(int256(amount0), -int256(amount1), price, uint128(1), int24(0)));
        _log(
            SWAP_PANCAKE_V3,
            abi.encode(int256(amount0), -int256(amount1), price, uint128(1), int24(0), uint128(0), uint128(0))
        );
        emit Sync(uint112(amount0), uint112(amount1));
        emit Mint(msg.sender, msg.sender, -10, 10, 1, amount0, amount1);
    }

    function getReserves() external view returns (uint112, uint112, uint32) {
        return (1e24, 1e24, uint32(block.timestamp));
    }

    function slot0() external pure returns (uint160, int24, uint16, uint16, uint16, uint8, bool) {
        return (1 << 96, 0, 0, 1, 1, 0, true);
    }

    function liquidity() external pure returns (uint128) {
        return 1e24;
    }

    function _log(bytes32 topic, bytes memory data) private {
        assembly {
            log3(add(data, 32), mload(data), topic, caller(), caller())
        }
    }
}
